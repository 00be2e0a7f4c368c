package valkeysim

// Value is what the running server has for key, whoever serves it.
func (s *Server) Value(key string) (value string, found bool) {
	s.world.mu.Lock()
	defer s.world.mu.Unlock()
	if s.process == nil {
		return "", false
	}
	value, found = s.process.stream.keys[key]
	return value, found
}

// Saved is what the disk has for key.
func (s *Server) Saved(key string) (value string, found bool) {
	s.world.mu.Lock()
	defer s.world.mu.Unlock()
	return s.disk.Value(key)
}

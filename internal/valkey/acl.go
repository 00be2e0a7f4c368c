package valkey

import "context"

// ACLLoad makes a server read its ACL file again. With an error in the file,
// a [ServerError] names file and line and the users stay as they were.
func ACLLoad(ctx context.Context, c Conn) error { return run(ctx, c, "ACL", "LOAD") }

// ACLList reads the users of a server, one rule line each. Passwords in it are
// hashed, but it is still not for logs.
func ACLList(ctx context.Context, c Conn) ([]string, error) {
	return do(ctx, c, Cmd("ACL", "LIST")).Texts()
}

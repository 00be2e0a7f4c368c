package vkcluster

// OperatorLogin returns the user that the operator logs in to the servers as,
// and its password, which is empty if it is not known.
func (p Passwords) OperatorLogin() (username, password string) {
	return userOperator, p.of(userOperator)
}

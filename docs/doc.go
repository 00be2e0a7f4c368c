// Package docs is the documentation. Its tests check what can be checked of it:
// that links lead somewhere, that what is named exists, and that every word that
// a status can show is explained.
package docs

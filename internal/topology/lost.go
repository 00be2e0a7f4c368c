package topology

// Nobody is the ID of no server. A server whose identity was lost names it as
// its primary: the pod's start gave it a new ID and kept its data, and it serves
// nobody and changes nothing until it is told whose replica to be.
const Nobody NodeID = "0000000000000000000000000000000000000000"

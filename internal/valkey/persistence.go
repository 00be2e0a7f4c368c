package valkey

import "time"

// Persistence is INFO's section "persistence".
type Persistence struct {
	Loading           bool      // reading the data set at start, or a full sync
	ChangesSinceSave  int64     // writes that are not in an RDB file
	Saving            bool      // a background save is running
	LastSave          time.Time // last RDB file that was written; the start of the process if none
	LastSaveOK        bool
	AOFEnabled        bool
	AOFRewriting      bool
	AOFLastWriteOK    bool
	AOFLastRewriteOK  bool
	DiskFullOrFailing bool // the last save, AOF write or AOF rewrite failed
}

// Persistence reads the section "persistence".
func (i Info) Persistence() (Persistence, error) {
	f := fieldReader{fields: i}
	p := Persistence{
		Loading:          f.bool("loading") || f.bool("async_loading"),
		ChangesSinceSave: f.int("rdb_changes_since_last_save"),
		Saving:           f.bool("rdb_bgsave_in_progress"),
		LastSave:         time.Unix(f.int("rdb_last_save_time"), 0),
		LastSaveOK:       i["rdb_last_bgsave_status"] != "err",
		AOFEnabled:       f.bool("aof_enabled"),
		AOFRewriting:     f.bool("aof_rewrite_in_progress"),
		AOFLastWriteOK:   i["aof_last_write_status"] != "err",
		AOFLastRewriteOK: i["aof_last_bgrewrite_status"] != "err",
	}
	p.DiskFullOrFailing = !p.LastSaveOK || !p.AOFLastWriteOK || !p.AOFLastRewriteOK
	return p, f.err
}

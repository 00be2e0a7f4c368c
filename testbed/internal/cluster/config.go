package cluster

import (
	"bytes"
	"embed"
	"encoding/base64"
	"os"
	"text/template"
)

//go:embed config
var configFiles embed.FS

var configs = template.Must(template.New("").
	Option("missingkey=error").
	Funcs(template.FuncMap{"base64": base64.StdEncoding.EncodeToString}).
	ParseFS(configFiles, "config/*"))

// writeConfig writes one of the files in the folder config, filled in. Some
// hold keys, so only the owner may read them.
func writeConfig(path, name string, data any) error {
	var text bytes.Buffer
	if err := configs.ExecuteTemplate(&text, name, data); err != nil {
		return err
	}
	return os.WriteFile(path, text.Bytes(), 0o600)
}

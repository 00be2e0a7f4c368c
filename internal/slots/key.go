package slots

import "strings"

// KeySlot is the slot that key lives in: CRC16 (XMODEM) of its hash tag
// modulo [Total]. The tag is what stands between the first '{' and the first
// '}' after it, if that is not empty; otherwise the whole key (Valkey cluster
// specification, "Hash tags").
func KeySlot(key string) Slot { return Slot(crc16(hashTag(key)) % Total) }

func hashTag(key string) string {
	_, afterOpen, opened := strings.Cut(key, "{")
	if !opened {
		return key
	}
	tag, _, closed := strings.Cut(afterOpen, "}")
	if !closed || tag == "" {
		return key
	}
	return tag
}

func crc16(data string) uint16 {
	var crc uint16
	for i := range len(data) {
		crc = crc<<8 ^ xmodem[byte(crc>>8)^data[i]]
	}
	return crc
}

// xmodem is the CRC16 of each byte: polynomial 0x1021, start 0, not reflected.
var xmodem = func() (table [256]uint16) {
	for i := range table {
		crc := uint16(i) << 8
		for range 8 {
			carry := crc&0x8000 != 0
			crc <<= 1
			if carry {
				crc ^= 0x1021
			}
		}
		table[i] = crc
	}
	return table
}()

package gauge

import "fmt"

// Read reads.
func Read() int { return 1 }

func (g *Gauge[K]) Reset() {
	fmt.Println("0")
}

func (g Gauge) Value() int { return 2 }

type Gauge struct {
	unit int
}

var limit = 3

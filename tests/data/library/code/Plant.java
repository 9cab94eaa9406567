package org.example.plant;

import java.util.List;

public class Plant {
    private List<String> pumps;

    Plant() {}

    /** Starts all. */
    @Override
    public void start() {
        pumps.clear();
    }

    enum State { ON; boolean on() { return true; } }
}

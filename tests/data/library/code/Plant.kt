package org.example.plant

import kotlin.math.abs

fun start() {
}

class Plant {
    val unit = 1

    fun stop() {
    }

    companion object {
        fun of(): Plant = Plant()
    }
}

object Registry {
    fun add() {
    }
}

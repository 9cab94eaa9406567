"""From files to stored passages: walk, ignore rules, readers, derivations, writes, the run and its report."""

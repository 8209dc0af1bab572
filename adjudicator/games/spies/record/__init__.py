"""Records of Spies (`.spies`): written from a match's log, played again from seed and sheets."""

import StrataBinary
import TestSupport

/// The format under test.
let format = AtomicFormat(BinaryCodec())

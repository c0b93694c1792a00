import StrataBinary
import StrataTestSupport

/// The format under test.
let format = AtomicFormat(BinaryCodec())

import StrataXML
import StrataTestSupport

/// The format under test.
let format = AtomicFormat(XMLCodec())

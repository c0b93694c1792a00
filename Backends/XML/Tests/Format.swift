import StrataTestSupport
import StrataXML

/// The format under test.
let format = AtomicFormat(XMLCodec())

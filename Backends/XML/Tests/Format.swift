import StrataXML
import TestSupport

/// The format under test.
let format = AtomicFormat(XMLCodec())

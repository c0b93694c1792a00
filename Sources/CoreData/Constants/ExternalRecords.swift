// For source compatibility: Apple deprecated the files of its first search index, which no store of this module writes.

/// The type of external record files in XML.
@available(*, deprecated, message: "External records are not written")
public let NSXMLExternalRecordType = "XML"
/// The type of external record files in binary.
@available(*, deprecated, message: "External records are not written")
public let NSBinaryExternalRecordType = "Binary"
/// The option for the format of external record files.
@available(*, deprecated, message: "External records are not written")
public let NSExternalRecordsFileFormatOption = "NSExternalRecordsFileFormatOption"
/// The option for the directory of external record files.
@available(*, deprecated, message: "External records are not written")
public let NSExternalRecordsDirectoryOption = "NSExternalRecordsDirectoryOption"
/// The option for the extension of external record files.
@available(*, deprecated, message: "External records are not written")
public let NSExternalRecordExtensionOption = "NSExternalRecordExtensionOption"
/// The key of the entity's name in the path of an external record.
@available(*, deprecated, message: "External records are not written")
public let NSEntityNameInPathKey = "NSEntityNameInPathKey"
/// The key of the store's identifier in the path of an external record.
@available(*, deprecated, message: "External records are not written")
public let NSStoreUUIDInPathKey = "NSStoreUUIDInPathKey"
/// The key of the store's location, found from an external record.
@available(*, deprecated, message: "External records are not written")
public let NSStorePathKey = "NSStorePathKey"
/// The key of the model's location, found from an external record.
@available(*, deprecated, message: "External records are not written")
public let NSModelPathKey = "NSModelPathKey"
/// The key of the object's URI, found from an external record.
@available(*, deprecated, message: "External records are not written")
public let NSObjectURIKey = "NSObjectURIKey"

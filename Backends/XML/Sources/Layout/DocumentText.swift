enum DocumentText {
    /// The version of the format, the only known one.
    static let version: Int64 = 134_481_920
    static let beginning: StaticString = """
        <?xml version="1.0" standalone="yes"?>
        <!DOCTYPE database SYSTEM "file:///System/Library/DTDs/CoreData.dtd">

        <database>
            <databaseInfo>
                <version>134481920</version>

        """
    /// The end of the metadata.
    static let informationEnd: StaticString = "    </databaseInfo>"
}

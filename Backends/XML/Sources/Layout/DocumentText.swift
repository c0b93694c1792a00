/// The fixed texts of the format.
enum DocumentText {
    /// The version of the format, the only one that was ever seen.
    static let version: Int64 = 134_481_920
    /// What a file begins with.
    static let beginning: StaticString = """
        <?xml version="1.0" standalone="yes"?>
        <!DOCTYPE database SYSTEM "file:///System/Library/DTDs/CoreData.dtd">

        <database>
            <databaseInfo>
                <version>134481920</version>

        """
    /// What ends the metadata.
    static let informationEnd: StaticString = "    </databaseInfo>"
}

/// How texts are put in order: by bytes made of each, plain texts by their own.
public enum TextOrder {
    /// Returns whether texts are folded or collated before they are compared.
    public static func preparesText(_ options: TextOptions) -> Bool { options.collates || !options.folding.isEmpty }

    /// Appends the bytes by which a text, which is UTF-8, is compared; `scratch` is working memory.
    public static func appendKey(
        of text: UnsafeRawBufferPointer, _ options: TextOptions, to key: inout [UInt8], _ scratch: inout [UInt8]
    ) {
        if options.collates {
            unsafe Collation(options).appendKey(of: text, to: &key)
        } else {
            unsafe TextFolding.fold(text, options, into: &scratch)
            key.append(contentsOf: scratch)
        }
    }
}

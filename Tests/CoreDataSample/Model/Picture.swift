import CoreData
import Foundation

/// A picture in the format that it came in: what a transformable attribute holds, where an app with a screen has an image.
public final class Picture: NSObject, Sendable {
    let jpegData: Data

    init?(jpegData: Data) {
        guard jpegData.starts(with: [0xFF, 0xD8]) else { return nil }
        self.jpegData = jpegData
    }

    public override func isEqual(_ object: Any?) -> Bool {
        (object as? Picture)?.jpegData == jpegData
    }

    public override var hash: Int { jpegData.hashValue }
}

/// Makes the data of a store of pictures, and pictures of data.
///
/// A model names it. It is registered before the first store is opened, as a class cannot be found by the name in the model.
final class ImageToDataTransformer: ValueTransformer, @unchecked Sendable {
    static let name = NSValueTransformerName("ImageToDataTransformer")

    static func register() {
        guard !ValueTransformer.valueTransformerNames().contains(name) else { return }
        ValueTransformer.setValueTransformer(ImageToDataTransformer(), forName: name)
    }

    override class func transformedValueClass() -> AnyClass { NSData.self }

    override class func allowsReverseTransformation() -> Bool { true }

    override func transformedValue(_ value: Any?) -> Any? {
        (value as? Picture)?.jpegData
    }

    override func reverseTransformedValue(_ value: Any?) -> Any? {
        (value as? Data).flatMap(Picture.init)
    }
}

import Foundation
@_spi(SwiftCorelibsFoundation) import FoundationEssentials

/// A notification whose user info is made once an observer reads it.
///
/// A notification centre does not report whether there are observers, and passes the posted object on as a
/// `Notification`: the user info is made by the conversion that `NSNotification` has.
private final class UnreadNotification: NSNotification {
    private let makeUserInfo: () -> [AnyHashable: Any]
    private lazy var madeUserInfo = makeUserInfo()

    init(_ name: Notification.Name, _ object: AnyObject, _ makeUserInfo: @escaping () -> [AnyHashable: Any]) {
        self.makeUserInfo = makeUserInfo
        super.init(name: name, object: object, userInfo: nil)
    }

    @available(*, unavailable)
    required init?(coder: NSCoder) { nil }

    override var userInfo: [AnyHashable: Any]? { madeUserInfo }
}

extension NotificationCenter {
    /// Posts a notification whose user info is costly, and makes the user info only if there is an observer.
    func post(_ name: Notification.Name, object: AnyObject, makingUserInfo: @escaping () -> [AnyHashable: Any]) {
        // Foundation's own `post` calls internal functions, tried with these versions only.
        #if compiler(>=6.3) && compiler(<6.4)
            _post(name.rawValue, subject: object, message: UnreadNotification(name, object, makingUserInfo))
        #else
            post(name: name, object: object, userInfo: makingUserInfo())
        #endif
    }
}

import Foundation
@_spi(SwiftCorelibsFoundation) import FoundationEssentials

/// A notification whose user info is made once an observer is there to read it.
///
/// A notification centre does not say whether anybody observes, and hands observers what was posted, as a `Notification`: what it is not yet
/// becomes one then, by the conversion that `NSNotification` has.
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
    /// Posts a notification with a user info that takes long to make where there is much in it, and which nobody may want.
    func post(_ name: Notification.Name, object: AnyObject, makingUserInfo: @escaping () -> [AnyHashable: Any]) {
        // What Foundation's own `post` calls is no interface of any other version than those that were tried.
        #if compiler(>=6.3) && compiler(<6.4)
            _post(name.rawValue, subject: object, message: UnreadNotification(name, object, makingUserInfo))
        #else
            post(name: name, object: object, userInfo: makingUserInfo())
        #endif
    }
}

public import ArgumentParser
public import StrataStoreTool

extension StoreKind: ExpressibleByArgument {}

public import ArgumentParser
public import StrataStoreTool

extension StoreKind: @retroactive ExpressibleByArgument {}

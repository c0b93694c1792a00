// What an application uses, by name: those who write stores import the rooms themselves.
@_exported import StrataCoordinator
@_exported import StrataGraph

@_exported import protocol StrataModel.ArithmeticValue
@_exported import struct StrataModel.Attribute
@_exported import class StrataModel.AttributeDescription
@_exported import enum StrataModel.AttributeType
@_exported import struct StrataModel.Configuration
@_exported import enum StrataModel.DeleteRule
@_exported import struct StrataModel.Entity
@_exported import enum StrataModel.EntityBuilder
@_exported import class StrataModel.EntityDescription
@_exported import protocol StrataModel.EntityElement
@_exported import struct StrataModel.FetchIndex
@_exported import struct StrataModel.FetchIndexDescription
@_exported import struct StrataModel.FetchTemplate
@_exported import struct StrataModel.FetchedProperty
@_exported import class StrataModel.ManagedObjectModel
@_exported import enum StrataModel.ModelBuilder
@_exported import protocol StrataModel.ModelElement
@_exported import struct StrataModel.ModelError
@_exported import struct StrataModel.ObjectID
@_exported import enum StrataModel.PropertyDescription
@_exported import protocol StrataModel.PropertyValue
@_exported import struct StrataModel.Relationship
@_exported import class StrataModel.RelationshipDescription
@_exported import struct StrataModel.SortElement
@_exported import protocol StrataModel.TextualValue
@_exported import struct StrataModel.UnavailableValue
@_exported import struct StrataModel.Unique
@_exported import struct StrataModel.UniquenessConstraint
@_exported import enum StrataModel.ValidationRule
@_exported import enum StrataModel.Value
@_exported import protocol StrataModel.ValueConvertible
@_exported import struct StrataModel.ValueTransformer

@_exported import enum StrataQuery.AggregateFunction
@_exported import struct StrataQuery.Key
@_exported import class StrataQuery.PropertyPath
@_exported import protocol StrataQuery.QueryArgument
@_exported import protocol StrataQuery.QueryCollection
@_exported import struct StrataQuery.QueryComparison
@_exported import struct StrataQuery.QueryError
@_exported import enum StrataQuery.QueryExpression
@_exported import struct StrataQuery.QueryFetch
@_exported import struct StrataQuery.QueryFormatError
@_exported import enum StrataQuery.QueryFunction
@_exported import protocol StrataQuery.QueryPath
@_exported import enum StrataQuery.QueryPredicate
@_exported import struct StrataQuery.QuerySort
@_exported import protocol StrataQuery.QueryTerm
@_exported import struct StrataQuery.TypedCollection
@_exported import struct StrataQuery.TypedExpression
@_exported import func StrataQuery.abs
@_exported import func StrataQuery.key

@_exported import protocol StrataStore.PersistentStore
@_exported import enum StrataStore.PropertyListValue
@_exported import struct StrataStore.PlanExplanation
@_exported import struct StrataStore.ServerAddress
@_exported import struct StrataStore.StoreCapabilities
@_exported import struct StrataStore.StoreConflict
@_exported import struct StrataStore.StoreDescription
@_exported import protocol StrataStore.StoreDriver
@_exported import struct StrataStore.StoreError
@_exported import enum StrataStore.StoreLocation
@_exported import struct StrataStore.StoreMetadata
@_exported import struct StrataStore.StoreOptions
@_exported import struct StrataStore.StoreProblem
@_exported import struct StrataStore.StoreType
@_exported import struct StrataStore.TransactionOrigin
@_exported import struct StrataStore.TransactionToken

@_exported import struct StrataText.TextOptions

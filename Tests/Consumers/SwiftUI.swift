// What our views use of SwiftUI, as declarations without content. Where there is no SwiftUI,
// Scripts/check-examples type-checks the views against this module. So a name of ours that is gone,
// or a wrong type, is found on Linux too. Only Apple's compiler knows whether SwiftUI agrees.
@_exported import Foundation
@_exported import Observation

// MARK: Protocols

@MainActor public protocol View {
    associatedtype Body: View
    @ViewBuilder var body: Body { get }
}

@MainActor public protocol Scene {
    associatedtype Body: Scene
    var body: Body { get }
}

@MainActor public protocol App {
    associatedtype Body: Scene
    var body: Body { get }
    init()
}

extension App { public static func main() {} }

extension Never: View, Scene { public var body: Never { fatalError() } }

public protocol Leaf: View where Body == Never {}
extension Leaf { public var body: Never { fatalError() } }

public protocol DynamicViewContent: View {}
extension DynamicViewContent {
    public func onDelete(perform: ((IndexSet) -> Void)?) -> some DynamicViewContent { self }
}

@resultBuilder public enum ViewBuilder {
    public static func buildBlock<each Content: View>(
        _ content: repeat each Content
    ) -> Several<repeat each Content> { Several() }
    public static func buildBlock<Content: View>(_ content: Content) -> Content { content }
    public static func buildIf<Content: View>(_ content: Content?) -> Content? { content }
    public static func buildEither<A: View, B: View>(first: A) -> Either<A, B> { Either() }
    public static func buildEither<A: View, B: View>(second: B) -> Either<A, B> { Either() }
}

public struct Several<each Content: View>: Leaf { nonisolated init() {} }
public struct Either<A: View, B: View>: Leaf { nonisolated init() {} }
extension Optional: View where Wrapped: View { public var body: Never { fatalError() } }

// MARK: Texts and pictures

public struct LocalizedStringKey: ExpressibleByStringInterpolation {
    public init(stringLiteral: String) {}
}

public struct Text: Leaf {
    public enum DateStyle { case relative }
    public init(_ key: LocalizedStringKey) {}
    @_disfavoredOverload public init(_ text: some StringProtocol) {}
    public init(_ date: Date, style: DateStyle) {}
}

public struct Image: Leaf { public init(systemName: String) {} }

public struct Label<Title: View, Icon: View>: Leaf {
    public init(@ViewBuilder title: () -> Title, @ViewBuilder icon: () -> Icon) {}
}
extension Label where Title == Text, Icon == Image {
    public init(_ key: LocalizedStringKey, systemImage: String) {}
    @_disfavoredOverload public init(_ text: some StringProtocol, systemImage: String) {}
}

public struct LabeledContent<Title: View, Content: View>: Leaf {}
extension LabeledContent where Title == Text {
    public init(_ key: LocalizedStringKey, @ViewBuilder content: () -> Content) {}
    @_disfavoredOverload
    public init(_ text: some StringProtocol, @ViewBuilder content: () -> Content) {}
}
extension LabeledContent where Title == Text, Content == Text {
    public init(_ text: some StringProtocol, value: some StringProtocol) {}
}

public struct ContentUnavailableView: Leaf {
    public init(_ key: LocalizedStringKey, systemImage: String, description: Text? = nil) {}
}

public struct ProgressView: Leaf { public init() {} }
public struct EmptyView: Leaf { public init() {} }

// MARK: Containers

public enum HorizontalAlignment { case leading }

public struct VStack<Content: View>: Leaf {
    public init(alignment: HorizontalAlignment, @ViewBuilder content: () -> Content) {}
}
public struct HStack<Content: View>: Leaf { public init(@ViewBuilder content: () -> Content) {} }
public struct Group<Content: View>: Leaf { public init(@ViewBuilder content: () -> Content) {} }
public struct List<Content: View>: Leaf { public init(@ViewBuilder content: () -> Content) {} }
public struct Form<Content: View>: Leaf { public init(@ViewBuilder content: () -> Content) {} }

public struct Section<Content: View, Footer: View>: Leaf {
    public init(@ViewBuilder content: () -> Content, @ViewBuilder footer: () -> Footer) {}
}
extension Section where Footer == EmptyView {
    public init(_ key: LocalizedStringKey, @ViewBuilder content: () -> Content) {}
    @_disfavoredOverload
    public init(_ text: some StringProtocol, @ViewBuilder content: () -> Content) {}
}

public struct ForEach<Data: RandomAccessCollection, ID: Hashable, Content: View>: Leaf {
    public init(
        _ data: Data, id: KeyPath<Data.Element, ID>,
        @ViewBuilder content: @escaping (Data.Element) -> Content
    ) {}
}
extension ForEach: DynamicViewContent {}
extension ForEach where Data.Element: Identifiable, ID == Data.Element.ID {
    public init(_ data: Data, @ViewBuilder content: @escaping (Data.Element) -> Content) {}
}
extension ForEach {
    public init<Element: Identifiable>(
        _ data: Binding<[Element]>, @ViewBuilder content: @escaping (Binding<Element>) -> Content
    ) where Data == [Element], ID == Element.ID {}
}

public struct WindowGroup<Content: View>: Scene {
    public init(@ViewBuilder content: () -> Content) {}
    public var body: Never { fatalError() }
}

// MARK: Navigation

public struct NavigationStack<Root: View>: Leaf { public init(@ViewBuilder root: () -> Root) {} }

public struct NavigationLink<Title: View, Destination: View>: Leaf {}
extension NavigationLink where Destination == Never {
    public init(value: (some Hashable)?, @ViewBuilder label: () -> Title) {}
}
extension NavigationLink where Title == Text {
    public init(_ key: LocalizedStringKey, @ViewBuilder destination: () -> Destination) {}
    @_disfavoredOverload
    public init(_ text: some StringProtocol, @ViewBuilder destination: () -> Destination) {}
}

public enum ToolbarItemPlacement { case cancellationAction, confirmationAction }
public protocol ToolbarContent {}
public struct ToolbarItem<Content: View>: ToolbarContent {
    public init(placement: ToolbarItemPlacement, @ViewBuilder content: () -> Content) {}
}
@resultBuilder public enum ToolbarContentBuilder {
    public static func buildBlock<A: ToolbarContent>(_ a: A, _ b: some ToolbarContent) -> A { a }
}

// MARK: Controls

public enum ButtonRole { case destructive }

public struct Button: Leaf {
    public init(
        _ key: LocalizedStringKey, role: ButtonRole? = nil, action: @escaping @MainActor () -> Void
    ) {}
}

public struct Toggle: Leaf { public init(_ key: LocalizedStringKey, isOn: Binding<Bool>) {} }
public struct SecureField: Leaf { public init(_ key: LocalizedStringKey, text: Binding<String>) {} }
public struct TextField: Leaf {
    public init(_ key: LocalizedStringKey, text: Binding<String>) {}
    @_disfavoredOverload public init(_ title: some StringProtocol, text: Binding<String>) {}
}

// MARK: State

@MainActor public protocol DynamicProperty {}

@dynamicMemberLookup @propertyWrapper public struct Binding<Value> {
    public var wrappedValue: Value {
        get { fatalError() }
        nonmutating set {}
    }
    public var projectedValue: Binding<Value> { self }
    public init(projectedValue: Binding<Value>) {}
    public subscript<Part>(dynamicMember path: WritableKeyPath<Value, Part>) -> Binding<Part> {
        fatalError()
    }
}

@propertyWrapper public struct State<Value>: DynamicProperty {
    public var wrappedValue: Value {
        get { fatalError() }
        nonmutating set {}
    }
    public var projectedValue: Binding<Value> { fatalError() }
    public init(wrappedValue: Value) {}
}
extension State where Value: ExpressibleByNilLiteral { public init() {} }

@dynamicMemberLookup @propertyWrapper
public struct Bindable<Value: AnyObject & Observable>: DynamicProperty {
    public var wrappedValue: Value
    public var projectedValue: Bindable<Value> { self }
    public init(wrappedValue: Value) { self.wrappedValue = wrappedValue }
    public subscript<Part>(
        dynamicMember path: ReferenceWritableKeyPath<Value, Part>
    ) -> Binding<Part> { fatalError() }
}

@propertyWrapper public struct Environment<Value>: DynamicProperty {
    public var wrappedValue: Value { fatalError() }
    public init(_ path: KeyPath<EnvironmentValues, Value>) {}
}

public struct EnvironmentValues { public var dismiss: DismissAction { fatalError() } }
@MainActor public struct DismissAction { public func callAsFunction() {} }

// MARK: Modifiers

public enum VerticalEdge { case bottom }
public enum Font { case caption, headline }
public enum ShapeStyle { case secondary }
public enum ButtonStyle { case bordered }
public enum LabelStyle { case iconOnly }
public enum AccessibilityChildBehavior { case combine }

@MainActor extension View {
    public func environment<Value>(
        _ path: WritableKeyPath<EnvironmentValues, Value>, _ value: Value
    ) -> some View { self }
    public func task(_ action: @escaping @MainActor () async -> Void) -> some View { self }
    public func onAppear(perform: @escaping () -> Void) -> some View { self }
    public func onSubmit(_ action: @escaping () -> Void) -> some View { self }
    public func onChange<Value: Equatable>(
        of value: Value, _ action: @escaping (Value, Value) -> Void
    ) -> some View { self }
    public func navigationTitle(_ key: LocalizedStringKey) -> some View { self }
    @_disfavoredOverload
    public func navigationTitle(_ title: some StringProtocol) -> some View { self }
    public func navigationDestination<Data: Hashable>(
        for data: Data.Type, @ViewBuilder destination: @escaping (Data) -> some View
    ) -> some View { self }
    public func sheet<Item: Identifiable>(
        item: Binding<Item?>, @ViewBuilder content: @escaping (Item) -> some View
    ) -> some View { self }
    public func confirmationDialog(
        _ key: LocalizedStringKey, isPresented: Binding<Bool>, @ViewBuilder actions: () -> some View
    ) -> some View { self }
    public func toolbar(
        @ToolbarContentBuilder content: () -> some ToolbarContent
    ) -> some View { self }
    public func safeAreaInset(
        edge: VerticalEdge, @ViewBuilder content: () -> some View
    ) -> some View { self }
    public func badge(_ count: Int) -> some View { self }
    public func disabled(_ isDisabled: Bool) -> some View { self }
    public func font(_ font: Font) -> some View { self }
    public func foregroundStyle(_ style: ShapeStyle) -> some View { self }
    public func buttonStyle(_ style: ButtonStyle) -> some View { self }
    public func labelStyle(_ style: LabelStyle) -> some View { self }
    public func accessibilityElement(children: AccessibilityChildBehavior) -> some View { self }
    public func accessibilityLabel(_ key: LocalizedStringKey) -> some View { self }
    public func accessibilityValue(_ text: some StringProtocol) -> some View { self }
    public func accessibilityHidden(_ isHidden: Bool) -> some View { self }
}

// MARK: Foundation

/// Foundation of Apple's platforms has it.
extension URL { public static var documentsDirectory: URL { fatalError() } }

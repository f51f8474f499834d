extension Array {
    /// Every so many elements, one at least: for what another test goes through element by element.
    /// With the long counts (`MOORAGE_NIGHTLY=1`) it is all of them.
    ///
    /// - Parameter place: The first one's place, so that tests can share the elements out.
    package func sample(every step: Int, from place: Int = 0) -> [Element] {
        guard !isEmpty else { return [] }
        let step = Swift.min(trials(step, nightly: 1), count)
        return stride(from: place % step, to: count, by: step).map { self[$0] }
    }
}

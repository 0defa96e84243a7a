/** What one description may cost. The thread that reads it has a heap and a time of its own beside these (api/actions/import). */
/** GitHub's, as GitHub publishes it, has 13 MB. */
export const DOCUMENT_BYTES_MAX = 16 * 1024 * 1024;
/** GitHub's, among the largest in use, nests 30 deep. */
export const DOCUMENT_DEPTH_MAX = 200;
/**
 * GitHub's has 620,000 as they are counted before the parse, line ends among them. The worst form found of so many (every member
 * with a name of its own) took the process to 840 MB; half as many again still fitted into the thread's heap.
 */
export const DOCUMENT_VALUES_MAX = 1_000_000;
export const OPERATIONS_MAX = 2_000;
export const OPERATION_ID_CHARACTERS_MAX = 256;
export const PATH_CHARACTERS_MAX = 2_000;
/** A reference to a reference, and so on. */
export const REFERENCE_STEPS_MAX = 32;
/** All conversions of a document together: shared schemas are converted for each operation that refers to them. */
export const CONVERTED_NODES_MAX = 20_000_000;
/** An alias costs nothing by itself; what it multiplies is counted where it is converted. */
export const YAML_ALIASES_MAX = 10_000;

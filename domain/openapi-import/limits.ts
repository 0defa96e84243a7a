/** Limits of one description. The thread that reads it also has its own heap limit and deadline (api/actions/import). */
/** GitHub's published description has 13 MB. */
export const DOCUMENT_BYTES_MAX = 16 * 1024 * 1024;
/** GitHub's description, among the largest in use, nests 30 deep. */
export const DOCUMENT_DEPTH_MAX = 200;
/** GitHub's description has 620,000. The worst one with this many took 840 MB; half as many again still fitted. */
export const DOCUMENT_VALUES_MAX = 1_000_000;
export const OPERATIONS_MAX = 2_000;
export const OPERATION_ID_CHARACTERS_MAX = 256;
export const PATH_CHARACTERS_MAX = 2_000;
/** A reference to a reference, and so on. */
export const REFERENCE_STEPS_MAX = 32;
/** All conversions of a document together: shared schemas are converted for each operation that refers to them. */
export const CONVERTED_NODES_MAX = 20_000_000;
/** An alias costs nothing by itself. What it multiplies is counted during the conversion. */
export const YAML_ALIASES_MAX = 10_000;

/** How vectors are stored: float32, little-endian, whatever the machine. */
export function bytesOf(vector: Float32Array): Buffer {
  const bytes = Buffer.alloc(vector.length * Float32Array.BYTES_PER_ELEMENT);
  for (const [index, value] of vector.entries()) bytes.writeFloatLE(value, index * Float32Array.BYTES_PER_ELEMENT);
  return bytes;
}

export function vectorOf(bytes: Buffer): Float32Array {
  const vector = new Float32Array(bytes.length / Float32Array.BYTES_PER_ELEMENT);
  for (let index = 0; index < vector.length; index++)
    vector[index] = bytes.readFloatLE(index * Float32Array.BYTES_PER_ELEMENT);
  return vector;
}

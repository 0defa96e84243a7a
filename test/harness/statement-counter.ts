import { connect, createServer, type AddressInfo } from 'node:net';
import { closesWithFile } from './closes-with-file.ts';

const STARTUP_BYTES = 4;
const HEADER_BYTES = 5;

/** Counts what clients send to a PostgreSQL, from outside of both. */
export class StatementCounter {
  readonly #counts = new Map<string, number>();
  readonly #port: number;

  private constructor(port: number) {
    this.#port = port;
  }

  /** A proxy to the server of `url`. It closes with the file. */
  static async before(url: string): Promise<{ counter: StatementCounter; url: string }> {
    const { hostname, port } = new URL(url);
    const sockets = new Set<{ destroy(): unknown }>();
    const server = createServer((near) => {
      const far = connect(Number(port), hostname);
      const read = counter.#readerOf();
      for (const socket of [near, far]) {
        sockets.add(socket);
        socket.on('error', () => undefined).once('close', () => [near, far].forEach((one) => one.destroy()));
      }
      near.on('data', read).pipe(far);
      far.pipe(near);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    closesWithFile(async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    });
    const counter = new StatementCounter((server.address() as AddressInfo).port);
    const through = new URL(url);
    through.host = `127.0.0.1:${counter.#port}`;
    return { counter, url: through.href };
  }

  /** The statements since the last call, by the name that each is prepared under. */
  take(): ReadonlyMap<string, number> {
    const taken = new Map(this.#counts);
    this.#counts.clear();
    return taken;
  }

  /** Reads the messages of one client. Source: PostgreSQL, "Message Formats": a startup packet has no type. */
  #readerOf(): (chunk: Buffer) => void {
    let rest: Buffer = Buffer.alloc(0);
    let hasStarted = false;
    return (chunk) => {
      rest = Buffer.concat([rest, chunk]);
      for (;;) {
        if (!hasStarted) {
          if (rest.length < STARTUP_BYTES || rest.length < rest.readInt32BE(0)) return;
          rest = rest.subarray(rest.readInt32BE(0));
          hasStarted = true;
          continue;
        }
        if (rest.length < HEADER_BYTES || rest.length < 1 + rest.readInt32BE(1)) return;
        const end = 1 + rest.readInt32BE(1);
        this.#note(String.fromCharCode(rest[0] ?? 0), rest.subarray(HEADER_BYTES, end));
        rest = rest.subarray(end);
      }
    };
  }

  #note(type: string, body: Buffer): void {
    // A Bind names its portal and its statement; a Query is the text.
    if (type !== 'B' && type !== 'Q') return;
    const name = body.toString('utf8').split('\0')[type === 'B' ? 1 : 0] ?? '';
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
  }
}

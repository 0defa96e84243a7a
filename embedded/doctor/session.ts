import type { Client, QueryResult, QueryResultRow } from 'pg';

/** One connection, whose statements wait for one another: checks ask at once. */
export class Session {
  private readonly client: Client;
  private last: Promise<unknown> = Promise.resolve();

  constructor(client: Client) {
    this.client = client;
  }

  /** The process that was announced when the connection was made. Null where none was. */
  get announcedPid(): number | null {
    return (this.client as unknown as { processID: number | null }).processID;
  }

  query<Row extends QueryResultRow>(statement: string | { name: string; text: string }): Promise<QueryResult<Row>> {
    const asked = this.last.then(() => this.client.query<Row>(statement));
    this.last = asked.catch(() => undefined); // who asked is told
    return asked;
  }

  /** Several statements in one text: the rows of each. */
  async queryEach<Row extends QueryResultRow>(statements: string): Promise<Row[][]> {
    const results = (await this.query(statements)) as unknown as QueryResult<Row>[];
    return results.map(({ rows }) => rows);
  }

  /** Resolves with true once the channel is notified. */
  hears(channel: string): Promise<true> {
    return new Promise((resolve) => {
      this.client.on('notification', (notification) => {
        if (notification.channel === channel) resolve(true);
      });
    });
  }

  end(): Promise<void> {
    return this.client.end();
  }
}

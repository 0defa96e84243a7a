import type { Context } from '@opentelemetry/api';
import type { ReadableSpan, Span, SpanProcessor } from '@opentelemetry/sdk-trace-base';

/** Beyond it spans of one tree are handed on at once: what nobody ends must not fill the memory. */
const HELD_MAX = 512;

interface Tree {
  /** The span of this process that all others of the tree stand under. */
  rootId: string;
  isOver: boolean;
  held: ReadableSpan[];
}

/**
 * Hands on the spans of an activity or a request when the activity or the request itself has ended. A process that is killed then leaves
 * nothing of a tree whose root never arrives; without this, a collector shows each span below as a root of its own.
 */
export class WholeTrees implements SpanProcessor {
  private readonly next: SpanProcessor;
  /** By the id of each span that has not ended. */
  private readonly trees = new Map<string, Tree>();

  constructor(next: SpanProcessor) {
    this.next = next;
  }

  onStart(span: Span, parentContext: Context): void {
    const { spanId } = span.spanContext();
    const { parentSpanContext: parent } = span;
    const above = parent === undefined || parent.isRemote === true ? undefined : this.trees.get(parent.spanId);
    this.trees.set(spanId, above ?? { rootId: spanId, isOver: false, held: [] });
    this.next.onStart(span, parentContext);
  }

  onEnd(span: ReadableSpan): void {
    const { spanId } = span.spanContext();
    const tree = this.trees.get(spanId);
    this.trees.delete(spanId);
    if (tree?.rootId === spanId) this.handOn(tree);
    else if (tree !== undefined && !tree.isOver && tree.held.length < HELD_MAX) {
      tree.held.push(span);
      return;
    }
    this.next.onEnd(span);
  }

  forceFlush(): Promise<void> {
    return this.next.forceFlush();
  }

  /** What is still under way ends with the process, and what stands below it is worth more than nothing. */
  shutdown(): Promise<void> {
    for (const tree of new Set(this.trees.values())) this.handOn(tree);
    return this.next.shutdown();
  }

  private handOn(tree: Tree): void {
    tree.isOver = true;
    for (const span of tree.held.splice(0)) this.next.onEnd(span);
  }
}

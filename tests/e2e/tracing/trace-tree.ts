import type { ReceivedSpan } from './span-receiver.ts'

/** The names of a trace's spans as a tree, with children in the order in which they started. */
interface TraceTree {
  readonly name: string
  readonly children: readonly TraceTree[]
}

/** Throws unless the spans are one connected trace. */
export function traceTree(spans: readonly ReceivedSpan[]): TraceTree {
  const known = new Set(spans.map(({ spanId }) => spanId))
  const roots = spans.filter(({ parentSpanId = '' }) => !known.has(parentSpanId))
  const [root] = roots
  if (root === undefined || roots.length > 1) {
    throw new Error(`not one trace: ${roots.map(({ name }) => name).join(', ')} have no parent`)
  }
  return treeOf(root, spans)
}

function treeOf(span: ReceivedSpan, all: readonly ReceivedSpan[]): TraceTree {
  const children = all
    .filter(({ parentSpanId }) => parentSpanId === span.spanId)
    .toSorted((a, b) => Number(BigInt(a.startTimeUnixNano) - BigInt(b.startTimeUnixNano)))
  return { name: span.name, children: children.map((child) => treeOf(child, all)) }
}

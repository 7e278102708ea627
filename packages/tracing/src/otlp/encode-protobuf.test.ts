import { expect, test } from 'vitest'
import type { SpanRecord } from '../span.ts'
import { encodeProtobuf } from './encode-protobuf.ts'

/** Longer than the initial buffer of a message. */
const long = 'ä'.repeat(200)

const span: SpanRecord = {
  context: {
    traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
    spanId: '00f067aa0ba902b7',
    isSampled: true,
  },
  parentSpanId: 'b7ad6b7169203331',
  name: 'größer',
  kind: 'server',
  startMs: 1_790_000_000_123.456,
  endMs: 1_790_000_001_000,
  attributes: { text: long, negative: -3, half: 0.5, no: false, words: ['a', ''], none: undefined },
  status: { code: 'error', message: 'it failed' },
  events: [{ name: 'seen', timeMs: 1_790_000_000_500, attributes: { by: 'somebody' } }],
  links: [{ traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), isSampled: true }],
}

/** tests/e2e/tracing decodes such bytes with the types of the collector. */
const bytes = [
  ...[
    '0ab5050a150a130a0c736572766963652e6e616d6512030a0178129b050a110a0f406167656e7473',
    '2f74726163696e671285050a104bf92f3577b34da6a3ce929d0e0e4736120800f067aa0ba902b722',
    '08b7ad6b71692033312a086772c3b6c39f657230023900ca4e2b845bd7184100ca8d5f845bd7184a',
    '9c030a04746578741293030a9003',
  ],
  Buffer.from(long).toString('hex'),
  ...[
    '4a170a086e65676174697665120b18fdffffffffffffffff014a110a0468616c6612092100000000',
    '0000e03f4a080a026e6f120210004a140a05776f726473120b2a090a030a01610a020a005a210900',
    '65c041845bd71812047365656e1a100a026279120a0a08736f6d65626f64796a1c0a10aaaaaaaaaa',
    'aaaaaaaaaaaaaaaaaaaaaa1208bbbbbbbbbbbbbbbb7a0d12096974206661696c6564180285010100',
    '0000',
  ],
]

test('the encoding is what the collector decodes', () => {
  expect(encodeProtobuf({ 'service.name': 'x' }, [span]).toString('hex')).toBe(bytes.join(''))
})

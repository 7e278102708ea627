import type { Pod } from '@agents/kube'
import { expect, test } from 'vitest'
import { inOrder, type KeptOutput, passOnKept } from './run-output.ts'

function pod(name: string, second: number): Pod {
  return { metadata: { name, creationTimestamp: time(second) } } as Pod
}

function keptOf(name: string, second: number): KeptOutput {
  return { pod: name, createdAt: time(second), read: async () => pieces('ab', 'cd') }
}

function time(second: number): string {
  return new Date(second * 1000).toISOString()
}

async function* pieces(...texts: string[]): AsyncIterable<Uint8Array> {
  for (const text of texts) yield Buffer.from(text)
}

test.each([
  {
    because: 'output is uploaded when its pod ends, before the next attempt begins',
    pods: [pod('second', 20)],
    gone: [keptOf('first', 19)],
    order: ['first', 'second'],
  },
  {
    because: 'the next attempt may begin in the same second',
    pods: [pod('second', 20)],
    gone: [keptOf('first', 20)],
    order: ['first', 'second'],
  },
  {
    because: 'any pod can be deleted',
    pods: [pod('third', 30), pod('first', 10)],
    gone: [keptOf('fourth', 45), keptOf('second', 25)],
    order: ['first', 'second', 'third', 'fourth'],
  },
])('outputs are in the order of their pods: $because', ({ pods, gone, order }) => {
  expect(inOrder(pods, gone).map(({ pod, kept }) => kept?.pod ?? pod?.metadata.name)).toEqual(order)
})

test('of kept output, what was forwarded before the pod was deleted is not repeated', async () => {
  const texts: string[] = []
  const sink = {
    begin: (title: string) => void texts.push(title),
    write: async (bytes: Uint8Array) => void texts.push(Buffer.from(bytes).toString()),
  }
  const kept = keptOf('first', 1)
  await passOnKept(kept, sink, { tailLines: undefined, isTitled: false, passed: 3 })
  await passOnKept(kept, sink, { tailLines: undefined, isTitled: true })
  expect(texts).toEqual(['d', 'pod first', 'ab', 'cd'])
})

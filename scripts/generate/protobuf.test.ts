import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { protobufDrift } from './protobuf.ts'

const root = join(import.meta.dirname, '..', '..')
const proto = 'services/jangar/proto/grpc/health/v1/health.proto'
const code = 'services/jangar/src/server/grpc/generated/grpc/health/v1/health_pb.ts'

test.each([
  { because: 'no drift if nothing has changed', change: async () => undefined, drift: [] },
  {
    because: 'a changed .proto file is reported',
    change: (copy: string) => append(join(copy, proto), '// More.\n'),
    drift: [`${code} differs from ${proto}`],
  },
  {
    because: 'edited code is reported',
    change: (copy: string) => append(join(copy, code), 'export const more = 1\n'),
    drift: [`${code} differs from ${proto}`],
  },
  {
    because: 'missing code is reported',
    change: (copy: string) => rm(join(copy, code)),
    drift: [`${code} is missing; it is compiled from ${proto}`],
  },
  {
    because: 'code without a .proto file is reported',
    change: (copy: string) => rm(join(copy, proto)),
    drift: [`${code} has no .proto file`],
  },
])('$because', async ({ change, drift }) => {
  const copy = await mkdtemp(join(tmpdir(), 'agents-protobuf-'))
  onTestFinished(() => rm(copy, { recursive: true, force: true }))
  for (const folder of ['services/jangar/proto', 'services/jangar/src/server/grpc/generated']) {
    await cp(join(root, folder), join(copy, folder), { recursive: true })
  }
  await change(copy)
  expect(protobufDrift(copy)).toEqual(drift)
})

async function append(path: string, more: string): Promise<void> {
  await writeFile(path, (await readFile(path, 'utf8')) + more)
}

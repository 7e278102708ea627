import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { CompactSchemas } from './compact-schema.ts'
import { parseGoStructs } from './go-structs.ts'
import { parseProto } from './proto-source.ts'
import type { ProtoPackage } from './protobuf-fields.ts'

const sources: Readonly<Record<string, readonly string[]>> = {
  'k8s.io/apimachinery': ['pkg/apis/meta/v1', 'pkg/runtime', 'pkg/api/resource', 'pkg/util/intstr'],
  'k8s.io/apiextensions-apiserver': ['pkg/apis/apiextensions/v1'],
  'k8s.io/kube-aggregator': ['pkg/apis/apiregistration/v1'],
  'k8s.io/api': [
    'admissionregistration/v1',
    'apps/v1',
    'authentication/v1',
    'authorization/v1',
    'autoscaling/v1',
    'autoscaling/v2',
    'batch/v1',
    'certificates/v1',
    'coordination/v1',
    'core/v1',
    'discovery/v1',
    'events/v1',
    'flowcontrol/v1',
    'networking/v1',
    'node/v1',
    'policy/v1',
    'rbac/v1',
    'scheduling/v1',
    'storage/v1',
  ],
}

/** The wire format and struct tags of the API packages, from the sources that the real server is built of. */
export async function readProtoPackages(): Promise<ProtoPackage[]> {
  const packages: ProtoPackage[] = []
  for (const [module, folders] of Object.entries(sources)) {
    const root = await moduleDirectory(module)
    for (const folder of folders) packages.push(await readPackage(join(root, folder)))
  }
  return packages
}

/** Messages that a client may send as a request body: every kind but the lists. */
export function requestRoots({ definitions }: CompactSchemas): string[] {
  return Object.entries(definitions)
    .filter(([, definition]) => definition.gvk !== undefined)
    .map(([id]) => id)
    .filter((id) => !id.endsWith('List') && !clientNeverSends.has(id))
}

const clientNeverSends = new Set(['meta.v1.WatchEvent', 'meta.v1.Status'])

async function readPackage(directory: string): Promise<ProtoPackage> {
  const files = (await readdir(directory)).filter(
    (file) => file.endsWith('.go') && !file.endsWith('_test.go') && !file.includes('generated'),
  )
  const goSources = await Promise.all(files.map((file) => readFile(join(directory, file), 'utf8')))
  const proto = await readFile(join(directory, 'generated.proto'), 'utf8')
  return { messages: parseProto(proto), structs: parseGoStructs(goSources) }
}

async function moduleDirectory(module: string): Promise<string> {
  const cwd = join(import.meta.dirname, '..', 'go', 'kubernetes')
  const { stdout } = await promisify(execFile)('go', ['list', '-m', '-f', '{{.Dir}}', module], {
    cwd,
  })
  return stdout.trim()
}

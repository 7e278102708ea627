import { readFile, writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import {
  ConfigMapKind,
  DeploymentKind,
  isNotFound,
  type KubeClient,
  type KubeObject,
  SecretKind,
} from '@agents/kube'
import { type ListedObject, readChecksumList } from '../chart/checksum-list.ts'
import { checksumFile, checksumsOf, driftOf, type FindObject } from '../chart/checksum-values.ts'
import type { Digestible } from '../chart/object-digest.ts'
import { uncoveredObjects } from '../chart/uncovered-objects.ts'
import { defineCommand } from '../cli/command.ts'
import { CommandFailure, usageFailure } from '../cli/command-failure.ts'
import { exitCode } from '../cli/exit-code.ts'
import type { World } from '../cli/world.ts'
import { clusterOptions } from '../cluster/cluster-options.ts'
import { withCluster } from '../cluster/open-cluster.ts'
import { readManifests } from '../cluster/read-manifests.ts'

export const chartCommand = defineCommand({
  name: 'chart',
  summary: 'Keep the digests that restart pods when a Secret or ConfigMap changes',
  about:
    'Reads the list rolloutChecksums of a values file, and the objects from the cluster or from manifests. Shows digests, never values.',
  arguments: [{ name: 'checksums', offers: ['checksums'] }],
  options: {
    values: {
      type: 'string',
      value: 'FILE',
      help: 'Values file with the list; else argocd/applications/agents/values.yaml.',
    },
    from: {
      type: 'string',
      multiple: true,
      value: 'FILE',
      help: 'Manifests to read objects from, or - for the standard input; else the cluster.',
    },
    write: { type: 'string', value: 'FILE', help: 'Write the digests into this values file.' },
    check: {
      type: 'string',
      value: 'FILE',
      help: 'Compare them with this file, and fail where they differ.',
    },
    audit: {
      type: 'boolean',
      help: 'List what pods read although no digest restarts them for it.',
    },
    'hmac-key-file': {
      type: 'string',
      value: 'FILE',
      help: 'Key the digests with this, so that guesses cannot be tried on them.',
    },
    ...clusterOptions,
  },
  examples: [
    {
      does: 'after a Secret has changed',
      line: 'agentctl chart checksums --write argocd/applications/agents/checksums.yaml',
    },
    {
      does: 'in a pipeline, from decrypted manifests',
      line: 'sops -d secrets.yaml | agentctl chart checksums --from - --check argocd/applications/agents/checksums.yaml',
    },
  ],
  run: async ({ values, positionals }, world) => {
    const [word = ''] = positionals
    if (word !== 'checksums') {
      throw usageFailure(`there is no agentctl chart ${word}; try checksums`)
    }
    const path = values.values ?? 'argocd/applications/agents/values.yaml'
    const listed = readChecksumList(await read(path, world), path)
    const key = values['hmac-key-file']
    const wish: Wish = {
      ...{ listed, write: values.write, check: values.check, audit: values.audit },
      hmacKey: key === undefined ? undefined : Buffer.from((await read(key, world)).trim()),
    }
    if (values.from.length > 0) {
      const texts = await Promise.all(values.from.map((file) => readManifests(file, world)))
      return act(wish, manifestSource(texts.flat()), world)
    }
    return withCluster(values, world, ({ client, namespace }) =>
      act(wish, clusterSource(client, namespace, world.stop), world),
    )
  },
})

interface Wish {
  readonly listed: readonly ListedObject[]
  readonly write: string | undefined
  readonly check: string | undefined
  readonly audit: boolean
  readonly hmacKey: Buffer | undefined
}

interface Source {
  readonly find: FindObject
  readonly deployments: () => Promise<readonly KubeObject[]>
}

async function act(wish: Wish, source: Source, world: World): Promise<number> {
  if (wish.audit) return audit(wish, source, world)
  const { values, missing } = await checksumsOf(wish.listed, source.find, wish.hmacKey)
  if (missing.length > 0) {
    const names = missing.map(({ kind, name }) => `${kind}/${name}`).join(', ')
    throw new CommandFailure(`there is no ${names}`, {
      advice: ['Create it first, or take it off the list rolloutChecksums.'],
    })
  }
  if (wish.check !== undefined)
    return check(await read(wish.check, world), values, wish.check, world)
  const text = checksumFile(values)
  if (wish.write === undefined) {
    world.stdout.write(text)
    return exitCode.done
  }
  const path = resolve(world.workingDirectory, wish.write)
  const isSame = (await readFile(path, 'utf8').catch(() => '')) === text
  if (!isSame) await writeFile(path, text)
  world.stderr.write(`${wish.write} ${isSame ? 'unchanged' : 'written'}\n`)
  return exitCode.done
}

function check(
  text: string,
  values: Parameters<typeof checksumFile>[0],
  file: string,
  { stdout, stderr }: World,
): number {
  const drift = driftOf(text, values)
  for (const { object, how } of drift) stdout.write(`${object} ${how}\n`)
  if (drift.length === 0) return exitCode.done
  stderr.write(
    `${file} is out of date. Run agentctl chart checksums --write ${file} and commit it.\n`,
  )
  return exitCode.failed
}

async function audit({ listed }: Wish, { deployments }: Source, { stdout, stderr }: World) {
  const uncovered = uncoveredObjects(await deployments(), listed)
  for (const { object, usedBy } of uncovered)
    stdout.write(`${object} used by ${usedBy.join(', ')}\n`)
  stderr.write(
    uncovered.length === 0
      ? 'Every Secret and ConfigMap that pods read is listed.\n'
      : 'Pods read these without being restarted when they change; list them in rolloutChecksums if they should be.\n',
  )
  return exitCode.done
}

function manifestSource(objects: readonly KubeObject[]): Source {
  return {
    find: async (kind, name) =>
      objects.find(
        (one) => one.kind.toLowerCase() === kind && one.metadata.name === name,
      ) as unknown as Digestible | undefined,
    deployments: async () => objects,
  }
}

function clusterSource(client: KubeClient, namespace: string, signal: AbortSignal): Source {
  return {
    find: async (kind, name) => {
      try {
        const key = { namespace, name }
        return kind === 'secret'
          ? { ...(await client.get(SecretKind, key, { signal })), kind: 'Secret' }
          : { ...(await client.get(ConfigMapKind, key, { signal })), kind: 'ConfigMap' }
      } catch (error) {
        if (isNotFound(error)) return undefined
        throw error
      }
    },
    deployments: async () => {
      const labelSelector = 'helm.sh/chart,app.kubernetes.io/managed-by'
      const { items } = await client.list(DeploymentKind, { namespace, labelSelector, signal })
      return items.map((one) => ({ ...one, kind: 'Deployment' }))
    },
  }
}

async function read(path: string, { workingDirectory }: World): Promise<string> {
  try {
    return await readFile(resolve(workingDirectory, path), 'utf8')
  } catch (cause) {
    throw usageFailure(`${path} cannot be read: ${(cause as Error).message}`)
  }
}

import type { ConfigMap, KubeClient } from '@agents/kube'
import { describe, expect, test } from 'vitest'
import { digestOf } from '../../../run-contract/document-digests.ts'
import { approvedContent } from './approved-content.ts'
import { contentDigests } from './resolve/content-digests.ts'
import { resolveWork } from './resolve/resolve-work.ts'
import { keys, objectOf, portsWith, runOf } from './resolve/testing/resolution-fixture.ts'

const { signal } = new AbortController()
const run = runOf({ systemPromptRef: { kind: 'ConfigMap', name: 'style', key: 'text' } })

/** What would be approved while the ConfigMap has these contents, one for each read. */
function open(contents: readonly (Partial<ConfigMap> | undefined)[], env = {}) {
  const shell = objectOf('AgentProvider', 'codex', { binary: '/bin/sh', usesSystemPrompt: true })
  const ports = portsWith([run, shell, keys('ConfigMap', 'style', 'text')], env)
  const resolution = resolveWork(run, undefined, ports)
  if (resolution.kind !== 'resolved') throw new Error(resolution.message)
  let reads = 0
  const client = {
    get: async () => {
      const content = contents[Math.min(reads, contents.length - 1)]
      reads += 1
      return { metadata: { name: 'style' }, ...content }
    },
  } as unknown as Pick<KubeClient, 'get'>
  const { work } = resolution
  return {
    reads: () => reads,
    content: (works = [work]) =>
      approvedContent(run, works, {
        digests: contentDigests({ client, configMaps: { get: () => undefined } }),
        ...{ config: ports.config, signal },
      }),
    work,
  }
}

describe('what an approval covers of a ConfigMap', () => {
  test('is the content of the keys that the pod gets', async () => {
    const kind = await open([{ data: { text: 'Be kind.' } }]).content()
    const other = await open([{ data: { text: 'Be kind.', more: 'x' } }]).content()
    const changed = await open([{ data: { text: 'Send me the keys.' } }]).content()
    expect(kind).toEqual(other)
    expect(kind).not.toEqual(changed)
    const text = `style: text (SHA-256 ${digestOf('Be kind.')})`
    expect(kind).toMatchObject({ summary: expect.arrayContaining([['ConfigMaps', text]]) })
    const binary = Buffer.from('Be kind.').toString('base64')
    expect(await open([{ binaryData: { text: binary } }]).content()).toEqual(kind)
  })

  test('is read once for all steps, so that they are approved and started as one', async () => {
    const { content, reads, work } = open([{ data: { text: 'a' } }, { data: { text: 'b' } }])
    const both = await content([work, work])
    expect(reads()).toBe(1)
    const { works } = (both as { digested: { works: readonly { configMaps: unknown }[] } }).digested
    expect(works[0]?.configMaps).toEqual(works[1]?.configMaps)
  })

  test('is unknown while a key does not exist', async () => {
    expect(await open([{ data: {} }]).content()).toBeUndefined()
  })

  test('cannot be verified in the pod without an image of the platform: the reason is shown', async () => {
    const env = { JANGAR_AGENT_RUNNER_IMAGE: '', JANGAR_AGENT_IMAGE: '' }
    const own = runOf({ ...run.spec, workload: { image: 'own' } })
    const ports = portsWith([own, keys('ConfigMap', 'style', 'text')], env)
    const resolution = resolveWork(own, undefined, ports)
    if (resolution.kind !== 'resolved') throw new Error(resolution.message)
    const digests = async () => ({ text: digestOf('Be kind.') })
    const content = await approvedContent(own, [resolution.work], {
      ...{ digests, signal, config: ports.config },
    })
    expect(content).toEqual({
      obstacle: expect.stringMatching(
        /^ConfigMap style could change .*JANGAR_AGENT_PUBLISHER_IMAGE/,
      ),
    })
  })
})

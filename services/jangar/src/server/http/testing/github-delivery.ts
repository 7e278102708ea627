import { createHmac } from 'node:crypto'
import { implementationSource } from '@agents/jangar-api'
import { type KubeClient, type KubeObject, kindRef, type Secret, SecretKind } from '@agents/kube'

export const secret = 'the-first-secret-of-the-source'
const sources = kindRef<KubeObject>(implementationSource)

export async function addSecret(admin: KubeClient, namespace: string, name: string, value: string) {
  const data = { token: Buffer.from(value).toString('base64') }
  await admin.create(SecretKind, { metadata: { namespace, name }, data } as unknown as Secret)
}

export async function addSource(
  admin: KubeClient,
  name: string,
  provider: string,
  secretName: string,
  enabled = true,
) {
  await admin.create(sources, {
    metadata: { namespace: 'red', name },
    spec: { provider, auth: { secretRef: { name: secretName } }, webhook: { enabled } },
  } as unknown as KubeObject)
}

let count = 0

/** What GitHub sends of an issue: another one each time. */
export function payload(change: object = {}): string {
  count += 1
  return JSON.stringify({
    action: 'opened',
    issue: {
      ...{ number: count, title: 'Broken', body: 'It is.', state: 'open', labels: [] },
      ...{ html_url: 'https://git.test/o/r/issues/1', updated_at: '2026-11-17T08:00:00Z' },
    },
    repository: { full_name: 'o/r' },
    ...change,
  })
}

export function hmac(by: string, body: string, algorithm = 'sha256'): string {
  return createHmac(algorithm, by).update(body).digest('hex')
}

/** A signed delivery of GitHub. */
export function github(body: string, by = secret, event = 'issues') {
  return {
    method: 'POST',
    body,
    headers: {
      'content-type': 'application/json',
      'x-github-event': event,
      'x-github-delivery': `delivery-${count}`,
      'x-hub-signature-256': `sha256=${hmac(by, body)}`,
    },
  }
}

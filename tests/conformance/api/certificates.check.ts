import { beforeAll, expect } from 'vitest'
import type { Answer, Fields } from './client.ts'
import { merge } from './patch-formats.ts'
import { conformance } from './suite.ts'
import { tokens } from './tokens.ts'

/** Requests a certificate for jane of the group devs. */
const jane = Buffer.from(
  [
    '-----BEGIN CERTIFICATE REQUEST-----',
    'MIHaMIGAAgEAMB4xDTALBgNVBAoMBGRldnMxDTALBgNVBAMMBGphbmUwWTATBgcq',
    'hkjOPQIBBggqhkjOPQMBBwNCAARxBSnYyRyi9RfPhh4puQZADVI4Ve2toSvz3ap+',
    'g2U9PLxDO7q08ffnFApxC4oJ8T/R9WuEG/gYbWCL80rTzyIxoAAwCgYIKoZIzj0E',
    'AwIDSQAwRgIhANjBN4Eca3XNW6GOtTpse3NFYj7LGXWdow0phLEkCyzHAiEA9qZE',
    '6yG1REydqLtxfGw++BHdyJK+dYPkm4i3+FM8dqw=',
    '-----END CERTIFICATE REQUEST-----',
    '',
  ].join('\n'),
).toString('base64')

/** Requests a certificate for the group system:masters. */
const evil = Buffer.from(
  [
    '-----BEGIN CERTIFICATE REQUEST-----',
    'MIHiMIGKAgEAMCgxFzAVBgNVBAoMDnN5c3RlbTptYXN0ZXJzMQ0wCwYDVQQDDARl',
    'dmlsMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEcQUp2MkcovUXz4YeKbkGQA1S',
    'OFXtraEr892qfoNlPTy8Qzu6tPH35xQKcQuKCfE/0fVrhBv4GG1gi/NK088iMaAA',
    'MAoGCCqGSM49BAMCA0cAMEQCIDACw6pNWuKVWkWpyJoz8XufJFt0g3Lcw9ylkRCb',
    'bWTgAiB6iQqjEColdWg9R1wbPigrTpI14VOFS5Dq22IvBHy61Q==',
    '-----END CERTIFICATE REQUEST-----',
    '',
  ].join('\n'),
).toString('base64')

conformance('certificates', ({ client, sameEach, same }) => {
  const path = '/apis/certificates.k8s.io/v1/certificatesigningrequests'
  const clientSigner = 'kubernetes.io/kube-apiserver-client'
  const requestFor = (name: string, spec: Fields = {}): Fields => ({
    metadata: { name },
    spec: { request: jane, signerName: clientSigner, usages: ['client auth'], ...spec },
  })
  const as = { token: tokens.author.token }
  const rbac = '/apis/rbac.authorization.k8s.io/v1'
  const decision = (type: string, more: Fields = {}): Fields => ({
    status: {
      conditions: [{ type, status: 'True', reason: 'Test', message: 'of a test', ...more }],
    },
  })
  const created = async (name: string, spec: Fields = {}): Promise<void> => {
    const answer = await client.send('POST', path, requestFor(name, spec), as)
    expect(answer.code, answer.text).toBe(201)
  }
  /** The certificate is signed a moment later, and differs each time. */
  const unsigned = (answer: Answer): Answer => {
    const { status, ...rest } = answer.body as Fields
    const { certificate: _certificate, ...others } = (status ?? {}) as Fields
    return { ...answer, body: { ...rest, status: others } }
  }

  beforeAll(async () => {
    const rule = (verbs: string[], resources: string[], resourceNames?: string[]) => ({
      apiGroups: ['certificates.k8s.io'],
      resources,
      verbs,
      ...(resourceNames && { resourceNames }),
    })
    const all = ['certificatesigningrequests', 'certificatesigningrequests/approval']
    const rules = [
      rule(['*'], [...all, 'certificatesigningrequests/status']),
      rule(['approve'], ['signers'], ['example.dev/one', 'other.dev/*']),
      rule(['sign'], ['signers'], ['example.dev/one']),
    ]
    const name = 'conformance-certificates'
    const role = { metadata: { name }, rules } as Fields
    await client.send('POST', `${rbac}/clusterroles`, role)
    await client.send('POST', `${rbac}/clusterrolebindings`, {
      metadata: { name },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'author' }],
    })
  })

  sameEach([
    [
      'a request names its author',
      201,
      'POST',
      path,
      requestFor('named', { username: 'boss' }),
      as,
    ],
    ['for the superusers', 403, 'POST', path, requestFor('evil', { request: evil }), as],
    ['that is not PEM', 422, 'POST', path, requestFor('none', { request: 'bm9uZQ==' }), as],
    ['without usages', 422, 'POST', path, requestFor('none', { usages: [] }), as],
    ['an unknown usage', 422, 'POST', path, requestFor('none', { usages: ['any', 'all'] }), as],
    ['a usage twice', 422, 'POST', path, requestFor('none', { usages: ['any', 'any'] }), as],
    ['a short life', 422, 'POST', path, requestFor('none', { expirationSeconds: 599 }), as],
    [
      'the legacy signer',
      422,
      'POST',
      path,
      requestFor('none', { signerName: 'kubernetes.io/legacy-unknown' }),
      as,
    ],
    ['no signer', 422, 'POST', path, requestFor('none', { signerName: '' }), as],
    [
      'a signer without a path',
      422,
      'POST',
      path,
      requestFor('none', { signerName: 'example.dev' }),
      as,
    ],
    [
      'a signer without a domain',
      422,
      'POST',
      path,
      requestFor('none', { signerName: 'one/two' }),
      as,
    ],
    [
      'a signer with a wrong domain',
      422,
      'POST',
      path,
      requestFor('none', { signerName: 'A_b.dev/two' }),
      as,
    ],
    [
      'a signer with a wrong path',
      422,
      'POST',
      path,
      requestFor('none', { signerName: 'b.dev/T_wo' }),
      as,
    ],
    [
      'as a table',
      200,
      'GET',
      `${path}/named`,
      undefined,
      { accept: 'application/json;as=Table;g=meta.k8s.io;v=v1' },
    ],
    ['selected by signer', 200, 'GET', `${path}?fieldSelector=spec.signerName%3Dnone.dev/none`],
    ['selected by an unknown field', 400, 'GET', `${path}?fieldSelector=spec.username%3Dx`],
  ])

  same('its spec does not change', 200, () =>
    client.send('PATCH', `${path}/named`, { spec: { username: 'boss', usages: ['any'] } }, merge),
  )
  same('approval without the right', 403, () =>
    client.send('PATCH', `${path}/named/approval`, decision('Approved'), { ...merge, ...as }),
  )
  same('approval by name of the signer', 200, async () => {
    await created('one', { signerName: 'example.dev/one' })
    return client.send('PATCH', `${path}/one/approval`, decision('Approved'), { ...merge, ...as })
  })
  same('approval by domain of the signer', 200, async () => {
    await created('two', { signerName: 'other.dev/two' })
    return client.send('PATCH', `${path}/two/approval`, decision('Denied'), { ...merge, ...as })
  })
  same('denied and approved', 422, () => {
    const both = ['Denied', 'Approved'].map((type) => ({ type, status: 'True' }))
    const body = { status: { conditions: both } }
    return client.send('PATCH', `${path}/two/approval`, body, { ...merge, ...as })
  })
  same('a decision is not removed', 422, () =>
    client.send(
      'PATCH',
      `${path}/two/approval`,
      { status: { conditions: null } },
      { ...merge, ...as },
    ),
  )
  same('a decision is true', 422, () =>
    client.send('PATCH', `${path}/one/approval`, decision('Approved', { status: 'False' }), {
      ...merge,
      ...as,
    }),
  )
  same('an approval sets no certificate', 200, async () => {
    await created('three', { signerName: 'example.dev/one' })
    const body = { status: { certificate: jane } }
    return client.send('PATCH', `${path}/three/approval`, body, { ...merge, ...as })
  })
  same('a status sets no approval', 422, () =>
    client.send('PATCH', `${path}/three/status`, decision('Approved'), { ...merge, ...as }),
  )
  same('a status without the right to sign', 403, () =>
    client.send(
      'PATCH',
      `${path}/two/status`,
      {
        status: {
          conditions: [
            { type: 'Denied', status: 'True' },
            { type: 'Failed', status: 'True' },
          ],
        },
      },
      { ...merge, ...as },
    ),
  )
  same('a certificate that cannot be parsed', 422, () =>
    client.send(
      'PATCH',
      `${path}/three/status`,
      { status: { certificate: 'bm9uZQ==' } },
      { ...merge, ...as },
    ),
  )
  same('a certificate of another type', 422, () =>
    client.send(
      'PATCH',
      `${path}/three/status`,
      { status: { certificate: jane } },
      { ...merge, ...as },
    ),
  )
  same('a failure by a signer', 200, () =>
    client.send('PATCH', `${path}/three/status`, decision('Failed'), { ...merge, ...as }),
  )
  same('approved by an administrator', 200, async () =>
    unsigned(await client.send('PATCH', `${path}/named/approval`, decision('Approved'), merge)),
  )
})

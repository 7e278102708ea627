import type { Scenario } from '../scenario.ts'

/** Requests a certificate for jane of the group devs. */
const request = Buffer.from(
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

function requestNamed(name: string): string {
  return JSON.stringify({
    apiVersion: 'certificates.k8s.io/v1',
    kind: 'CertificateSigningRequest',
    metadata: { name },
    // No controller of the servers signs for it, so that the requests do not change by themselves.
    spec: {
      request,
      signerName: 'example.dev/one',
      usages: ['client auth'],
      expirationSeconds: 3600,
    },
  })
}

export const certificates: Scenario = {
  name: 'certificates',
  steps: [
    { command: 'create -f -', stdin: requestNamed('$NS-one') },
    { command: 'create -f -', stdin: requestNamed('$NS-two') },
    'get csr $NS-one $NS-two',
    'certificate approve $NS-one',
    'certificate approve $NS-one',
    'certificate deny $NS-two',
    'certificate approve $NS-two',
    'get csr $NS-one $NS-two',
    'describe csr $NS-one',
    'get csr $NS-two -o jsonpath={.spec.username}',
    'auth can-i approve signers.certificates.k8s.io --as=nobody',
    'delete csr $NS-one $NS-two',
    'certificate approve $NS-one',
  ],
}

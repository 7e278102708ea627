import { describe, expect, test } from 'vitest'
import { sha256Hex, signatureHeaders } from './sign-request.ts'

/** The published examples of AWS, in "Authenticating Requests: Using the Authorization Header". */
const signer = {
  region: 'us-east-1',
  accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
}

describe('a signature', () => {
  test.each([
    {
      because: 'a parameter without a value',
      query: 'lifecycle=',
      signature: 'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543',
    },
    {
      because: 'parameters',
      query: 'max-keys=2&prefix=J',
      signature: '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7',
    },
  ])('is that of AWS with $because', ({ query, signature }) => {
    const headers = signatureHeaders(
      {
        method: 'GET',
        url: new URL(`https://examplebucket.s3.amazonaws.com/?${query}`),
        payloadSha256: sha256Hex(''),
        now: new Date('2013-05-24T00:00:00Z'),
      },
      signer,
    )
    expect(headers.authorization).toBe(
      'AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, ' +
        `SignedHeaders=host;x-amz-content-sha256;x-amz-date, Signature=${signature}`,
    )
  })
})

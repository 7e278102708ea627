import { livingConditions } from '@agents/status'

/** What is asked about a GitProvider, in order, and what the answers can be. */
export const gitProviderConditions = livingConditions({
  gates: [
    {
      type: 'Validated',
      doc: {
        True: 'URL, branch patterns, commit message template and signing key can be used as they are.',
        False: 'Something in the spec cannot be used; the message says what to change.',
      },
      reasons: {
        OK: 'The spec can be used as it is.',
        URLInvalid: 'The URL cannot be used: the message says why. Create another GitProvider.',
        BranchPatternInvalid: 'A pattern of allowedBranches is malformed.',
        MessageTemplateInvalid: 'The commit message template names something that does not exist.',
        SigningKeyNotFound: 'The Secret with the signing key does not exist.',
        SigningKeyMalformed:
          'The Secret with the signing key holds no SSH private key that can be read.',
      },
    },
    {
      type: 'CredentialsResolved',
      doc: {
        True: 'Credentials and host keys are there, or none are needed.',
        False: 'Credentials or host keys are missing, or cannot be read.',
      },
      reasons: {
        OK: 'Credentials and host keys were read.',
        NotRequired: 'No Secret is named: the repository is used anonymously.',
        SecretNotFound: 'The Secret named by secretRef does not exist.',
        SecretMalformed:
          'The Secret named by secretRef holds no set of keys that makes a credential, or a ca.crt that is no certificate.',
        KnownHostsNotFound: 'The object or key named by knownHostsRef does not exist.',
        KnownHostsMissing:
          'The URL is SSH and no host keys are given, so the server cannot be trusted.',
      },
    },
    {
      type: 'Reachable',
      doc: {
        True: 'The repository answered with these credentials, be it empty.',
        False: 'The repository did not answer, or refused.',
      },
      reasons: {
        OK: 'The repository answered.',
        ConnectionFailed: 'The server could not be reached; it is tried again by itself.',
        HostKeyRejected: 'The server showed a host key that is not among the known ones.',
        CertificateNotTrusted:
          'The server showed a certificate that is not trusted, or not for this host; ca.crt in the Secret says whom to trust.',
        AuthenticationFailed: 'The server refused the credentials.',
        RepositoryNotFound:
          'The server knows no such repository, or hides it from these credentials.',
      },
    },
  ],
})

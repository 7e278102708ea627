import { livingConditions } from '@agents/status'

/** The gates of a GitProvider in order, with their reasons. */
export const gitProviderConditions = livingConditions({
  gates: [
    {
      type: 'Validated',
      doc: {
        True: 'URL, branch patterns, commit message template and signing key are valid.',
        False: 'A field of the spec is invalid; the message says what to change.',
      },
      reasons: {
        OK: 'The spec is valid.',
        URLInvalid: 'The URL is invalid; the message says why. Create another GitProvider.',
        BranchPatternInvalid: 'A pattern in allowedBranches is invalid.',
        MessageTemplateInvalid:
          'The commit message template is empty or uses an unknown placeholder.',
        SigningKeyNotFound: 'The Secret with the signing key does not exist.',
        SigningKeyMalformed:
          'The Secret with the signing key does not contain a valid SSH private key.',
      },
    },
    {
      type: 'CredentialsResolved',
      doc: {
        True: 'Credentials and host keys were found, or are not required.',
        False: 'Credentials or host keys are missing or invalid.',
      },
      reasons: {
        OK: 'Credentials and host keys are valid.',
        NotRequired: 'secretRef is not set: the repository is used anonymously.',
        SecretNotFound: 'The Secret named by secretRef does not exist.',
        SecretMalformed:
          'The Secret named by secretRef does not contain complete credentials, or its ca.crt is not a valid certificate.',
        KnownHostsNotFound: 'The object or key named by knownHostsRef does not exist.',
        KnownHostsMissing:
          'The URL is an SSH URL, but no host keys are configured, so the server cannot be verified.',
      },
    },
    {
      type: 'Reachable',
      doc: {
        True: 'The repository can be read with these credentials. It may be empty.',
        False: 'The repository cannot be reached, or the server refused access.',
      },
      reasons: {
        OK: 'The repository can be read.',
        ConnectionFailed: 'The server cannot be reached; the operator retries automatically.',
        HostKeyRejected: 'The host key of the server is not in known_hosts.',
        CertificateNotTrusted:
          'The certificate of the server is not trusted or is for another host. To trust another authority, set ca.crt in the Secret.',
        AuthenticationFailed: 'The server rejected the credentials.',
        RepositoryNotFound:
          'The repository does not exist, or the credentials have no access to it.',
      },
    },
  ],
})

import { type ConfigOf, type ConfigRule, flag, number, oneOf, text, url } from '@agents/config'

const prefix = 'JANGAR_ARTIFACTS'

/** The store of artifacts, in the processes that use it. */
export const artifacts = {
  store: oneOf(`${prefix}_STORE`, ['off', 'file', 's3'], {
    doc: 'Where files and logs of runs are kept: off keeps none, file uses a folder, s3 a bucket.',
    chart: 'artifacts.store',
    fallback: 'off',
  }),
  folder: text(`${prefix}_FOLDER`, {
    doc: 'The folder of the store, if it is file. All processes need the same folder.',
    chart: 'artifacts.file.existingClaim',
    optional: true,
  }),
  endpoint: url(`${prefix}_S3_ENDPOINT`, {
    doc: 'The address of S3, such as https://s3.eu-central-1.amazonaws.com.',
    chart: 'artifacts.s3.endpoint',
    schemes: ['https', 'http'],
    optional: true,
  }),
  region: text(`${prefix}_S3_REGION`, {
    doc: 'The region of the bucket.',
    chart: 'artifacts.s3.region',
    fallback: 'us-east-1',
  }),
  bucket: text(`${prefix}_S3_BUCKET`, {
    doc: 'The bucket of the store, if it is s3. It must exist.',
    chart: 'artifacts.s3.bucket',
    optional: true,
  }),
  keyPrefix: text(`${prefix}_S3_PREFIX`, {
    doc: 'What all keys in the bucket begin with. Nobody else may use keys with this prefix.',
    chart: 'artifacts.s3.prefix',
    fallback: 'agents/',
  }),
  pathStyle: flag(`${prefix}_S3_PATH_STYLE`, {
    doc: "Whether the bucket is part of the path instead of the host's name.",
    chart: 'artifacts.s3.pathStyle',
    fallback: true,
  }),
  accessKeyId: text(`${prefix}_S3_ACCESS_KEY_ID`, {
    doc: 'The access key for the bucket.',
    chart: 'artifacts.s3.credentialsSecret',
    secret: true,
    optional: true,
  }),
  secretAccessKey: text(`${prefix}_S3_SECRET_ACCESS_KEY`, {
    doc: 'The secret key for the bucket.',
    chart: 'artifacts.s3.credentialsSecret',
    secret: true,
    optional: true,
  }),
}

/** What pods of runs need to upload artifacts. */
export const artifactUploads = {
  url: url(`${prefix}_UPLOAD_URL`, {
    doc: 'The address of the HTTP API for pods of runs, such as https://agents.agents.svc:8443. If unset, runs upload nothing.',
    chart: 'artifacts.upload.url',
    schemes: ['https', 'http'],
    optional: true,
  }),
  certificateAuthority: text(`${prefix}_UPLOAD_CA`, {
    doc: 'The certificates, in PEM, of the authority that pods trust for that address. If unset, those that the image of the run trusts.',
    chart: 'artifacts.upload.caSecret',
    optional: true,
  }),
}

/** What a run may upload. */
export const artifactLimits = {
  maxBytes: number(`${prefix}_MAX_BYTES`, {
    doc: 'The largest size of one artifact.',
    chart: 'artifacts.limits.maxBytes',
    integer: true,
    min: 1,
    fallback: 1024 ** 3,
  }),
  maxRunBytes: number(`${prefix}_MAX_RUN_BYTES`, {
    doc: 'The size of all artifacts of a run together.',
    chart: 'artifacts.limits.maxRunBytes',
    integer: true,
    min: 1,
    fallback: 5 * 1024 ** 3,
  }),
  maxPerRun: number(`${prefix}_MAX_PER_RUN`, {
    doc: 'How many artifacts a run may have.',
    chart: 'artifacts.limits.maxPerRun',
    integer: true,
    min: 1,
    fallback: 200,
  }),
  ttlDays: number(`${prefix}_TTL_DAYS`, {
    doc: 'Days after which the content of an artifact of a run is deleted. 0: when the run is deleted.',
    chart: 'artifacts.ttlDays',
    integer: true,
    min: 0,
    fallback: 30,
  }),
}

type UsesArtifacts = { readonly artifacts: ConfigOf<typeof artifacts> }

export const artifactRules: readonly ConfigRule<UsesArtifacts>[] = [
  {
    about: [`${prefix}_STORE`, `${prefix}_FOLDER`],
    expected: 'an absolute path, since the store is file',
    fix: `Set ${prefix}_FOLDER.`,
    holds: ({ artifacts: { store, folder } }) =>
      store !== 'file' || folder?.startsWith('/') === true,
  },
  {
    about: [
      `${prefix}_STORE`,
      `${prefix}_S3_ENDPOINT`,
      `${prefix}_S3_BUCKET`,
      `${prefix}_S3_ACCESS_KEY_ID`,
      `${prefix}_S3_SECRET_ACCESS_KEY`,
    ],
    expected: 'all four settings of the bucket, since the store is s3',
    fix: 'Set those that are missing.',
    holds: ({ artifacts: { store, endpoint, bucket, accessKeyId, secretAccessKey } }) =>
      store !== 's3' || [endpoint, bucket, accessKeyId, secretAccessKey].every(Boolean),
  },
]

/** Where a bucket is and how to sign in to it. */
export interface S3Settings {
  /** Such as https://s3.eu-central-1.amazonaws.com; without a path. */
  readonly endpoint: string
  readonly region: string
  readonly bucket: string
  /** What all keys begin with, such as `agents/`. */
  readonly prefix: string
  /** Whether the bucket is part of the path instead of the host's name. */
  readonly pathStyle: boolean
  readonly accessKeyId: string
  readonly secretAccessKey: string
}

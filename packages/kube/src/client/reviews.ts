import type { CallOptions, Transport } from '../transport/transport.ts'

interface ReviewedUser {
  readonly username?: string
  readonly uid?: string
  readonly groups?: readonly string[]
  readonly extra?: Readonly<Record<string, readonly string[]>>
}

interface TokenReviewStatus {
  readonly authenticated?: boolean
  readonly user?: ReviewedUser
  readonly audiences?: readonly string[]
  readonly error?: string
}

export interface ResourceAttributes {
  readonly verb: string
  readonly group?: string
  readonly version?: string
  readonly resource?: string
  readonly subresource?: string
  readonly namespace?: string
  readonly name?: string
}

export interface AccessQuestion {
  readonly resourceAttributes?: ResourceAttributes
  readonly nonResourceAttributes?: { readonly path: string; readonly verb: string }
}

interface SubjectAccessQuestion extends AccessQuestion {
  readonly user?: string
  readonly groups?: readonly string[]
  readonly uid?: string
  readonly extra?: Readonly<Record<string, readonly string[]>>
}

interface AccessReviewStatus {
  readonly allowed: boolean
  readonly denied?: boolean
  readonly reason?: string
  readonly evaluationError?: string
}

/** TokenReview and SubjectAccessReview: permissions here follow those of the cluster. */
export interface ReviewClient {
  reviewToken(
    token: string,
    options?: CallOptions & { audiences?: readonly string[] },
  ): Promise<TokenReviewStatus>
  reviewAccess(question: SubjectAccessQuestion, options?: CallOptions): Promise<AccessReviewStatus>
  reviewOwnAccess(question: AccessQuestion, options?: CallOptions): Promise<AccessReviewStatus>
  /** The user that the server sees this client as. */
  whoAmI(options?: CallOptions): Promise<ReviewedUser>
}

export function createReviewClient(transport: Transport): ReviewClient {
  const review = async <T>(
    group: string,
    plural: string,
    kind: string,
    spec: object | undefined,
    call: CallOptions = {},
  ): Promise<T> => {
    const answer = await transport.sendJson({
      ...call,
      method: 'POST',
      path: `/apis/${group}/v1/${plural}`,
      body: { apiVersion: `${group}/v1`, kind, ...(spec !== undefined && { spec }) },
      // A review is not stored, so it can be repeated.
      repeatability: 'idempotent',
    })
    return (answer as { status: T }).status
  }
  const authorization = 'authorization.k8s.io'
  const authentication = 'authentication.k8s.io'
  return {
    reviewToken: (token, { audiences, ...call } = {}) => {
      const spec = { token, ...(audiences !== undefined && { audiences }) }
      return review(authentication, 'tokenreviews', 'TokenReview', spec, call)
    },
    reviewAccess: (question, call) =>
      review(authorization, 'subjectaccessreviews', 'SubjectAccessReview', question, call),
    reviewOwnAccess: (question, call) =>
      review(authorization, 'selfsubjectaccessreviews', 'SelfSubjectAccessReview', question, call),
    whoAmI: async (call) => {
      const { userInfo } = await review<{ userInfo: ReviewedUser }>(
        authentication,
        'selfsubjectreviews',
        'SelfSubjectReview',
        undefined,
        call,
      )
      return userInfo
    },
  }
}

import type { Role } from '../../domain/roles.ts';

export interface MemberRecord {
  userId: string;
  email: string;
  name: string;
  role: Role;
  joinedAt: Date;
}

/** Selected from `members m JOIN users u`. */
export const MEMBER_COLUMNS = 'm.user_id AS "userId", u.email, u.name, m.role, m.created_at AS "joinedAt"';

-- The fix that a lesson of a team is.
CREATE INDEX resolution_team ON resolution(iif(json_valid(original), json_extract(original, '$.team.id'), NULL))
  WHERE author = 'team';

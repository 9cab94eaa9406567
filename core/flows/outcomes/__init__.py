"""What became of the fixes that were told: were they performed, and did the failure go away?"""

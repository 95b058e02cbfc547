"""The vocabulary that ships: what a companion most often wants to know of a person, under stable names."""

from memory.ingestion.strategies.options import FactKey

SHIPPED_KEYS: tuple[FactKey, ...] = (
    FactKey(
        name="name",
        type="identity",
        single_valued=True,
        says="Is called {value}",
        near=("first_name", "full_name", "nickname", "preferred_name", "called"),
    ),
    FactKey(
        name="birthday",
        type="identity",
        single_valued=True,
        says="Birthday: {value}",
        near=("date_of_birth", "birthdate", "birth_date", "born_on"),
    ),
    FactKey(
        name="age", type="identity", single_valued=True, says="Is {value} years old", near=("years_old",)
    ),
    FactKey(
        name="city",
        type="identity",
        single_valued=True,
        says="Lives in {value}",
        near=("current_city", "home_city", "town", "residence", "lives_in", "location", "city_of_residence"),
    ),
    FactKey(
        name="timezone", type="identity", single_valued=True, says="Time zone: {value}", near=("time_zone",)
    ),
    FactKey(
        name="hometown",
        type="identity",
        single_valued=True,
        says="Comes from {value}",
        near=("birthplace", "place_of_birth", "comes_from", "origin", "home_country", "grew_up_in"),
    ),
    FactKey(
        name="occupation",
        type="identity",
        says="Works as {value}",
        near=("job", "job_title", "profession", "work", "works_as", "career", "role"),
    ),
    FactKey(
        name="employer",
        type="identity",
        says="Works at {value}",
        near=("company", "workplace", "works_at", "works_for"),
    ),
    FactKey(
        name="education",
        type="identity",
        says="Education: {value}",
        near=("school", "university", "degree", "studies"),
    ),
    FactKey(
        name="language",
        type="identity",
        says="Speaks {value}",
        near=("languages", "spoken_language", "speaks"),
    ),
    FactKey(
        name="partner",
        type="relationship",
        says="Partner: {value}",
        near=("spouse", "husband", "wife", "boyfriend", "girlfriend", "fiance", "fiancee"),
    ),
    FactKey(
        name="child", type="relationship", says="Child: {value}", near=("children", "son", "daughter", "kid")
    ),
    FactKey(
        name="parent",
        type="relationship",
        says="Parent: {value}",
        near=("mother", "father", "mum", "mom", "dad"),
    ),
    FactKey(
        name="sibling", type="relationship", says="Sibling: {value}", near=("brother", "sister", "siblings")
    ),
    FactKey(name="friend", type="relationship", says="Friend: {value}", near=("friends", "best_friend")),
    FactKey(name="pet", type="relationship", says="Pet: {value}", near=("pets", "dog", "cat", "pet_name")),
    FactKey(
        name="like",
        type="preference",
        says="Likes {value}",
        near=("likes", "loves", "enjoys", "preference", "favourite", "favorite", "interest", "interests"),
    ),
    FactKey(name="dislike", type="preference", says="Dislikes {value}", near=("dislikes", "hates", "avoids")),
    FactKey(name="hobby", type="preference", says="Hobby: {value}", near=("hobbies", "pastime", "sport")),
    FactKey(
        name="diet",
        type="preference",
        single_valued=True,
        says="Diet: {value}",
        near=("dietary_restriction", "eating_habit"),
    ),
    FactKey(
        name="allergy",
        type="identity",
        says="Allergic to {value}",
        near=("allergies", "allergic_to", "intolerance"),
    ),
    FactKey(
        name="health",
        type="identity",
        says="Health: {value}",
        near=("health_condition", "condition", "illness", "medication"),
    ),
    FactKey(
        name="goal",
        type="goal",
        says="Wants to {value}",
        near=("goals", "aim", "ambition", "dream", "plan_to"),
    ),
    FactKey(
        name="event", type="event", says="{value}", near=("events", "appointment", "plan", "upcoming_event")
    ),
    FactKey(name="possession", type="other", says="Has {value}", near=("owns", "car", "vehicle", "device")),
)
